import type { FormerParty, PartyIdentity } from '@countersign/core/parties.js';
import type { RelyingParty } from '@countersign/core/passkey-assertion.js';
import type { Map, Set } from 'immutable';
import type {
  AddressList,
  EvidenceKeyRow,
  Freeze,
  ImportRecipient,
  RefreshedShare,
  ShareRefresh,
  Successor,
  SystemSettings,
  Webhook,
} from './rows.js';
import type { Table } from './table.js';
import type { EMPTY_TABLES, NO_REQUESTS_PENDING } from './tables.js';

export interface VaultState extends Readonly<typeof EMPTY_TABLES> {
  /** Sequence number of the last entry folded; 0 before genesis. */
  readonly seq: number;
  /** Its hash, hex. */
  readonly headHash: string;
  /** Time of the last accepted genesis or request. */
  readonly time: number;
  readonly vaultId: string;
  readonly genesisHash: string;
  readonly parties: readonly PartyIdentity[];
  /** Keys that parties had before they were replaced, the oldest first. Absent while no party was. */
  readonly formerParties?: readonly FormerParty[];
  /** Absent while no replacement is asked for. */
  readonly successor?: Successor;
  /** The newest refresh, also when it is done. Absent while there was none. */
  readonly refresh?: ShareRefresh;
  /** Keys whose shares of the newest refresh are not complete. Keys that have gone meanwhile may be among them. */
  readonly keysToRefresh?: Set<string>;
  /** By key: which parties hold new shares, while not all three do. */
  readonly refreshedBy?: Map<string, readonly RefreshedShare[]>;
  /** The relying party of the vault's passkeys. Absent if the genesis has none: people cannot enrol. */
  readonly relyingParty?: RelyingParty;
  readonly evidenceKeys: readonly EvidenceKeyRow[];
  /** Recipients that an import may still name: at most two of each party, the newest last. */
  readonly importRecipients: readonly ImportRecipient[];
  /** Absent in a vault that never had one; read by {@link webhooksOf}. */
  readonly webhooks?: Table<Webhook>;
  /** Absent in a vault that never had one; read by {@link addressListsOf}. */
  readonly addressLists?: Table<AddressList>;
  readonly settings: SystemSettings;
  readonly frozenVenues: Map<string, Freeze>;
  readonly systemFreeze: Freeze | null;
  /** Nonces of accepted requests, hex: remembered for good. */
  readonly nonces: Set<string>;
  readonly pendingRequests: typeof NO_REQUESTS_PENDING;
}
