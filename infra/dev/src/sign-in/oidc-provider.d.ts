/** As much of the package as is used here: it brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<unknown>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { readonly login: { readonly accountId: string }; readonly consent: object },
    ): Promise<void>;
    readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => Grant;
  }
  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }
}
