/**
 * The address of the service, of which only scheme, host and port are used. Throws RangeError on anything
 * more, and on plain http to another machine: whoever reads an API key on the way can read with it.
 */
export function parseServiceUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || `${url.origin}/` !== url.href) {
    throw new RangeError('the URL of the service is scheme, host and port, nothing more');
  }
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) {
    throw new RangeError('the URL of the service must be https, unless it is on this machine');
  }
  return url;
}
