/** A request in the form of a service. Its host is that of the registered webhook, and no part of this. */
export interface Message {
  /** May hold a secret of the service: it stands in no log and no record. */
  readonly path: string;
  readonly body: object;
}
