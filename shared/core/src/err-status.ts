/** The HTTP status of each type of refusal. */
export const ERR_STATUS = {
  parse_error: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  resource_not_found: 404,
  resource_conflict: 409,
  invalid_inputs: 422,
  internal_server_error: 500,
  gateway_timeout: 504,
} as const;
