/** Binance's three formulas (REST, WebSocket API and FIX logon), for a request that passed every check. */
import { toBase64, toHex } from '@countersign/core/bytes.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { JsonNumber } from '@countersign/core/written-json.js';
import type { SigningMoment, VenueKey } from './engine/venue.js';
import type { CheckedRequest, ComposeAt } from './engine/define-venue.js';
import { invalid, joinRaw } from './engine/wire-form.js';

/** ms a request stays valid when the caller does not say: the venue's own default. */
const DEFAULT_RECV_WINDOW_MS = 5000;

/** A parameter as the caller stated it; undefined if it is not there. */
export function statedValue({ query, body }: CheckedRequest, name: string): unknown {
  if (body.kind === 'json') return body.object[name];
  const parameters = body.kind === 'form' ? body.parameters : query;
  return parameters.find((parameter) => parameter.name === name)?.value;
}

/**
 * One container holds everything: the one that the caller used, or else the method's usual one. The signature does not
 * cover where that part ends; see `boundFacts`.
 */
export function prepareRest(checked: CheckedRequest, key: VenueKey): ComposeAt {
  const { method, path, query, body } = checked.request;
  const isInBody = body !== '' || (query === '' && ['POST', 'PUT'].includes(method));
  const stated = isInBody ? body : query;
  const isWindowStated = statedValue(checked, 'recvWindow') !== undefined;
  const window = isWindowStated ? '' : `recvWindow=${DEFAULT_RECV_WINDOW_MS}`;
  return ({ at }) => {
    const text = joinRaw(stated, `timestamp=${at}`, window);
    return {
      message: Buffer.from(text),
      finish: (signature) => {
        const signed = `${text}&signature=${encodeURIComponent(spell(signature, key))}`;
        return {
          method,
          path,
          query: isInBody ? '' : signed,
          headers: {
            'X-MBX-APIKEY': key.apiKey,
            ...(isInBody ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
          },
          body: isInBody ? signed : '',
        };
      },
    };
  };
}

function spell(signature: Uint8Array, key: VenueKey): string {
  return key.type === 'hmac' ? toHex(signature) : toBase64(signature);
}

/** Has no character that would start another parameter in the signed string, nor an encoded one. */
const WS_VALUE = /^[\p{L}\p{N}._:@~/-]{1,256}$/u;

/** Printing it again gives what was written. */
const WHOLE_NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;

export function prepareWs(checked: CheckedRequest, key: VenueKey): ComposeAt | Refusal {
  const stated = readWsParameters(checked);
  if (isRefusal(stated)) return stated;
  const window = 'recvWindow' in stated ? {} : { recvWindow: DEFAULT_RECV_WINDOW_MS };
  const { method } = checked.request;
  return ({ at, requestId }: SigningMoment) => {
    const params = { ...stated, ...window, apiKey: key.apiKey, timestamp: at };
    const text = Object.entries(params)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `${name}=${String(value)}`)
      .join('&');
    return {
      message: Buffer.from(text),
      finish: (signature) => ({
        method,
        path: '',
        query: '',
        headers: {},
        body: JSON.stringify({
          id: requestId,
          method,
          params: { ...params, signature: spell(signature, key) },
        }),
      }),
    };
  };
}

/**
 * Values that print in one way only: text, whole numbers, booleans. They are unencoded in the signed string, where
 * `x&coin=BTC` would be a second parameter to whoever sends the string as a query.
 */
function readWsParameters(
  checked: CheckedRequest,
): Readonly<Record<string, string | number | boolean>> | Refusal {
  const { body } = checked;
  const params: Record<string, string | number | boolean> = {};
  if (body.kind !== 'json') return params;
  for (const [name, stated] of Object.entries(body.object)) {
    const value = plainValue(stated);
    if (value === undefined || !/^[A-Za-z]+$/.test(name)) {
      return invalid(
        `the parameter ${JSON.stringify(name)} has a form that Binance signs in two ways`,
      );
    }
    params[name] = value;
  }
  return params;
}

function plainValue(stated: unknown): string | number | boolean | undefined {
  if (stated instanceof JsonNumber) {
    return WHOLE_NUMBER.test(stated.text) ? Number(stated.text) : undefined;
  }
  const isPlain =
    typeof stated === 'boolean' || (typeof stated === 'string' && WS_VALUE.test(stated));
  return isPlain ? stated : undefined;
}

const SEQUENCE = /^[1-9][0-9]{0,14}$/;
const COMP_ID = /^[A-Za-z0-9_-]{1,8}$/;

/** FIX logon: `MsgType␁SenderCompID␁TargetCompID␁MsgSeqNum␁SendingTime`. `body` gives the fields. */
export function prepareFix(checked: CheckedRequest, key: VenueKey): ComposeAt | Refusal {
  const stated = checked.body.kind === 'json' ? checked.body.object : {};
  const { SenderCompID: sender, TargetCompID: target, MsgSeqNum: sequence } = stated;
  if (
    checked.request.method !== 'Logon' ||
    typeof sender !== 'string' ||
    !COMP_ID.test(sender) ||
    typeof target !== 'string' ||
    !COMP_ID.test(target) ||
    !(sequence instanceof JsonNumber) ||
    !SEQUENCE.test(sequence.text)
  ) {
    return invalid('a FIX request is a Logon with SenderCompID, TargetCompID and MsgSeqNum');
  }
  return ({ at }) => {
    const sendingTime = fixTime(at);
    const fields = {
      MsgType: 'A',
      SenderCompID: sender,
      TargetCompID: target,
      MsgSeqNum: Number(sequence),
      SendingTime: sendingTime,
    };
    return {
      message: Buffer.from(Object.values(fields).join('\u0001')),
      finish: (signature) => {
        const rawData = toBase64(signature);
        return {
          method: 'Logon',
          path: '',
          query: '',
          headers: {},
          body: JSON.stringify({
            ...fields,
            RawDataLength: rawData.length,
            RawData: rawData,
            Username: key.apiKey,
          }),
        };
      },
    };
  };
}

/** UTCTimestamp with ms: `20240627-11:17:25.223`. */
function fixTime(at: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().split('T');
  return `${date.replaceAll('-', '')}-${time.replace('Z', '')}`;
}
