/** One text for every credential failure: it tells nothing about which part was wrong. */
export const INVALID_CREDENTIALS = 'the credentials are not valid';
