/**
 * Makes a {@link Venue} from a table and a signing formula. The order is the same for every venue: form, ownership of
 * parameters, classification, facts, and only then the venue's own formula.
 */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { quoteName } from '@countersign/core/quote-name.js';

import { OPERATION_CLASSES } from '@countersign/core/vocabulary.js';
import type { Venue, VenueChannel, VenueKey, VenuePlan, VenueRequest } from './venue.js';
import type { VenueFacts } from './venue-facts.js';
import {
  createEndpointTable,
  endpointName,
  type Carrier,
  type Endpoint,
  type EndpointTable,
} from './endpoint-table.js';
import { createWorseFinder, isGrave, mostSevere, type WorseFinder } from './interchange.js';
import { readOrders } from './order-terms.js';
import { NO_FACTS, UNDECIDABLE_FACTS, isFactName, readFacts } from './request-facts.js';
import { readEntries, statedEntries, usedCarriers } from './request-entries.js';
import type { CheckedRequest, VenueDefinition } from './venue-definition.js';
import { readDestinations } from './withdrawal-destinations.js';
import { checkPath, invalid, parseParameters, type Parameter } from './wire-form.js';

export type { CheckedRequest, ComposeAt, VenueDefinition } from './venue-definition.js';

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
/** Goes into a header: no blank, no line break. */
const API_KEY = /^[\x21-\x7e]{1,512}$/;

/** Throws when the table contradicts itself or lacks the names that the signature makes necessary. */
export function defineVenue(definition: VenueDefinition): Venue {
  const table = createEndpointTable(definition.endpoints);
  if (definition.unsignedParts === 'method_and_path') {
    const loose = definition.endpoints.find((endpoint) => endpoint.names === undefined);
    if (loose !== undefined) throw new Error(`parameter names missing: ${endpointName(loose)}`);
  }
  const repeating = definition.endpoints.find((row) => !mayRepeat(definition, row));
  if (repeating !== undefined) throw new Error(`may not repeat: ${endpointName(repeating)}`);
  const owned = new Set(definition.ownedParameters.map((name) => name.toLowerCase()));
  const findWorse = createWorseFinder(definition.endpoints);
  const made: MadeVenue = { definition, table, owned, findWorse };
  const classes = new Set<string>(definition.endpoints.map((row) => row.operationClass));
  return {
    id: definition.id,
    displayName: definition.displayName,
    schemes: definition.schemes,
    hmacSecretEncodings: definition.hmacSecretEncodings,
    ownedParameters: definition.ownedParameters,
    ...(definition.apiKeyPattern === undefined ? {} : { apiKeyPattern: definition.apiKeyPattern }),
    ...(definition.passphrase === undefined ? {} : { passphrase: definition.passphrase }),
    ...(definition.nonce === undefined ? {} : { nonce: definition.nonce }),
    operationClasses: OPERATION_CLASSES.filter((name) => classes.has(name) || name === 'unknown'),
    unbindable: (condition) => definition.unbindable?.[condition],
    plan: (request, key) => planRequest(made, request, key),
    readOrders: (request) => {
      const checked = checkRequest(made, request);
      return isRefusal(checked) ? checked : readOrders(definition, checked);
    },
  };
}

/**
 * Whether it does not matter which of several values the venue takes: the endpoint reads, the signature holds it to
 * its place, and no rule looks at the parameter.
 */
function mayRepeat({ unsignedParts, fields }: VenueDefinition, row: Endpoint): boolean {
  if (row.repeatable.length === 0) return true;
  const isFact = row.repeatable.some((name) => isFactName(row.fields ?? fields, name));
  return unsignedParts === 'none' && row.operationClass === 'read' && !isFact;
}

/** A definition, with the values that are derived from it once. */
interface MadeVenue {
  readonly definition: VenueDefinition;
  readonly table: EndpointTable;
  /** In lower case. */
  readonly owned: ReadonlySet<string>;
  readonly findWorse: WorseFinder;
}

function planRequest(made: MadeVenue, request: VenueRequest, key: VenueKey): VenuePlan | Refusal {
  const { definition } = made;
  const scheme = definition.schemes[key.type];
  if (scheme === undefined) {
    return invalid(`${definition.displayName} does not accept ${key.type} keys`);
  }
  if (!API_KEY.test(key.apiKey)) {
    return invalid(
      'the key has no venue_api_key, or one with characters that a header cannot carry',
    );
  }
  // setting such a key is refused too: this is for keys that were stored before
  if (definition.apiKeyPattern?.test(key.apiKey) === false) {
    return invalid(`the key's venue_api_key is no API key of ${definition.displayName}`);
  }
  const checked = checkRequest(made, request);
  if (isRefusal(checked)) return checked;
  const refused = definition.check?.(checked, key);
  if (refused !== undefined) return refused;
  const facts =
    definition.isLogin?.(checked, key) === true
      ? sessionFacts(definition, request.method)
      : classify(made, checked);
  if (isRefusal(facts)) return facts;
  const compose = definition.prepare(checked, key);
  return isRefusal(compose) ? compose : { facts, scheme, compose };
}

function checkRequest(
  { definition, table, owned }: MadeVenue,
  request: VenueRequest,
): CheckedRequest | Refusal {
  const refused = checkChannel(definition, request);
  if (refused !== undefined) return refused;
  const endpoint = table.find(request.channel, request.method, request.path);
  const query = parseParameters(request.query, 'query', { repeatable: endpoint?.repeatable ?? [] });
  if (isRefusal(query)) return query;
  const body = definition.readBody(request.body, request);
  if (isRefusal(body)) return body;
  const checked = { request, query, body, endpoint };
  const names = namesOf(checked);
  const stated = names.find((name) => owned.has(name.toLowerCase()));
  if (stated !== undefined) return invalid(`the vault sets ${stated} itself`);
  if (body.kind === 'json_list') return checked;
  return hasRepeated(definition.repeatsQueryInBody === true ? withoutRepeats(checked) : names)
    ? invalid('query and body name the same parameter')
    : checked;
}

/** The names, except those that a JSON body repeats from the query with the same text. */
function withoutRepeats({ query, body }: CheckedRequest): string[] {
  const object = body.kind === 'json' ? body.object : {};
  const isSame = ({ name, value }: Parameter): boolean =>
    Object.hasOwn(object, name) && object[name] === value;
  return namesOf({ query: query.filter((parameter) => !isSame(parameter)), body });
}

/** Each container was checked alone: this finds one name in both, in any letter case. */
function hasRepeated(names: readonly string[]): boolean {
  return new Set(names.map((name) => name.toLowerCase())).size < names.length;
}

function checkChannel(definition: VenueDefinition, request: VenueRequest): Refusal | undefined {
  if (definition.binds[request.channel] === undefined) {
    return invalid(
      `${definition.displayName} has no signed requests on channel ${request.channel}`,
    );
  }
  if (request.channel === 'rest') {
    return METHODS.includes(request.method)
      ? checkPath(request.path)
      : invalid('the method must be GET, POST, PUT, DELETE or PATCH');
  }
  if (request.path !== '' || request.query !== '') {
    return invalid(`a request on channel ${request.channel} has neither path nor query`);
  }
  return /^[A-Za-z0-9._/-]{1,64}$/.test(request.method)
    ? undefined
    : invalid('the method must be the name of an operation of the venue');
}

/** Every parameter name of the request, at its top level. */
export function namesOf(checked: Pick<CheckedRequest, 'query' | 'body'>): string[] {
  const { body } = checked;
  const inQuery = checked.query.map((parameter) => parameter.name);
  if (body.kind === 'form') return [...inQuery, ...body.parameters.map((each) => each.name)];
  if (body.kind === 'json') return [...inQuery, ...Object.keys(body.object)];
  if (body.kind === 'json_list')
    return [...inQuery, ...body.items.flatMap((item) => Object.keys(item))];
  return inQuery;
}

function classify(made: MadeVenue, checked: CheckedRequest): VenueFacts | Refusal {
  const { definition } = made;
  const names = namesOf(checked);
  const common = definition.commonParameters ?? [];
  const own = names.filter((name) => !common.includes(name));
  const strange = findStrangePart(definition, checked, own);
  const named = strange === undefined ? checked.endpoint : undefined;
  const worst = worstOf(made, checked, named, new Set(names));
  if (named === undefined || worst === undefined) {
    return worst !== undefined && isGrave(worst.operationClass)
      ? invalid(
          `${strange ?? 'this request is not in the table of the venue'}, and its signature would be ` +
            `valid for ${endpointName(worst)}`,
        )
      : unknownFacts(definition, checked.request.channel, strange);
  }
  return factsOf(definition, checked, named, worst);
}

const CARRIER_TEXTS: Readonly<Record<Carrier, string>> = {
  query: 'query',
  form: 'form body',
  json: 'JSON object as its body',
  json_list: 'JSON list as its body',
};

/**
 * The part of the request that is not in the table: its endpoint, a container or a parameter. Public text; undefined
 * when it has the form that the table gives the endpoint.
 */
function findStrangePart(
  { displayName }: VenueDefinition,
  checked: CheckedRequest,
  names: readonly string[],
): string | undefined {
  const { endpoint, request } = checked;
  if (endpoint === undefined) {
    const line = [request.method, request.path].join(' ').trimEnd();
    return `the table of ${displayName} has no endpoint ${quoteName(line)}`;
  }
  const carrier = usedCarriers(checked).find((used) => !endpoint.carriers.includes(used));
  if (carrier !== undefined) return `${endpointName(endpoint)} takes no ${CARRIER_TEXTS[carrier]}`;
  if (endpoint.names === undefined) return undefined;
  const { required, anyOf, optional } = endpoint.names;
  const allowed = new Set([...required, ...anyOf.flat(), ...optional]);
  const stranger = names.find((name) => !allowed.has(name));
  return stranger === undefined
    ? undefined
    : `${endpointName(endpoint)} takes no parameter ${quoteName(stranger)}`;
}

/** The most severe thing that the signature would be good for, including `named`. */
function worstOf(
  { definition, table, findWorse }: MadeVenue,
  checked: CheckedRequest,
  named: Endpoint | undefined,
  names: ReadonlySet<string>,
): Endpoint | undefined {
  switch (definition.unsignedParts) {
    case 'none':
      return named;
    case 'method': {
      const { channel, path } = checked.request;
      return mostSevere(named, table.atPath(channel, path), names);
    }
    case 'method_and_path': {
      const accepts = (candidate: Endpoint) => definition.fits?.(candidate, checked) ?? true;
      return findWorse(named, names, accepts) ?? named;
    }
  }
}

function unknownFacts(
  definition: VenueDefinition,
  channel: VenueChannel,
  unknownBecause: string | undefined,
): VenueFacts {
  return {
    ...NO_FACTS,
    venueId: definition.id,
    operationClass: 'unknown',
    unknownBecause,
    endpoint: '',
    binds: definition.binds[channel] ?? [],
  };
}

function sessionFacts(definition: VenueDefinition, endpoint: string): VenueFacts {
  return {
    ...NO_FACTS,
    venueId: definition.id,
    operationClass: 'session',
    endpoint,
    binds: definition.sessionBinds ?? ['session'],
  };
}

function factsOf(
  definition: VenueDefinition,
  checked: CheckedRequest,
  named: Endpoint,
  worst: Endpoint,
): VenueFacts | Refusal {
  const isSession = named.operationClass === 'session';
  const read = isSession ? NO_FACTS : readRequest(definition, checked, named, worst);
  if (isRefusal(read)) return read;
  const binds = definition.binds[checked.request.channel] ?? [];
  const destinations =
    !isSession && worst.operationClass === 'withdraw' ? destinationsOf(checked, named) : undefined;
  return {
    ...read,
    ...(destinations !== undefined && { destinations }),
    venueId: definition.id,
    operationClass: isSession ? 'session' : worst.operationClass,
    // with the path signed, the more severe endpoint is the same path by another method
    endpoint: endpointName(definition.unsignedParts === 'method' ? worst : named),
    binds: isSession ? (definition.sessionBinds ?? ['session']) : binds,
  };
}

function destinationsOf(checked: CheckedRequest, named: Endpoint): string[] | undefined {
  if (named.names === undefined) return undefined;
  const entries = readEntries(checked, named);
  return isRefusal(entries) ? undefined : readDestinations(entries);
}

function readRequest(
  definition: VenueDefinition,
  checked: CheckedRequest,
  named: Endpoint,
  worst: Endpoint,
): ReturnType<typeof readFacts> {
  const isOpen = [named, worst].some(({ names }) => names === undefined);
  if (isOpen && worst.operationClass !== 'read') return UNDECIDABLE_FACTS;
  const stated = statedEntries(definition, checked, named);
  return isRefusal(stated) ? stated : readFacts(stated, named.fields ?? definition.fields);
}
