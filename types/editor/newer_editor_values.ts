import { floatToPlainText, formatFloat, parseDecimalNumber } from '../values/number_text.ts';
import { type Tag, TAGS } from '../values/port_types.ts';
import { isObject, MAX_VALUE_DEPTH } from '../values/value.ts';

/**
 * Tests whether JSON is nested too deep to be read. This function does not recurse, so deep JSON can't overflow the
 * stack.
 */
export function isTooDeep(json: unknown): boolean {
  const open: [json: unknown, depth: number][] = [[json, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next;
    if (typeof value !== 'object' || value === null) continue;
    // Each level of a value is two levels of JSON, one of them the tag. 16 more levels are for the flow around the
    // value.
    if (depth > 2 * MAX_VALUE_DEPTH + 16) return true;
    for (const member of Object.values(value)) open.push([member, depth + 1]);
  }
  return false;
}

/** The tag of a tagged value; undefined for any other JSON. */
function tagIn(json: unknown): Tag | undefined {
  const names = isObject(json) ? Object.keys(json) : [];
  return names.length === 1 ? TAGS.find((tag) => tag === names[0]) : undefined;
}

/** Tests whether a decimal equals the number that JSON shows for the nearest float. */
function fitsFloat(text: string): boolean {
  const decimal = parseDecimalNumber(text) ?? text;
  return floatToPlainText(decimal) === floatToPlainText(formatFloat(Number(decimal)));
}

/**
 * Converts a text of digits to a number. Returns the text itself for infinities, NaN, integers beyond 2^53 and decimals
 * with more digits than a float can hold.
 */
function numberOf(text: unknown, tag: string, leave: (what: string) => void): unknown {
  const number = Number(text);
  const isExact = Number.isFinite(number) &&
    (tag === 'D' ? fitsFloat(String(text)) : Number.isSafeInteger(number) || !Number.isInteger(number));
  if (!isExact) {
    leave(`${tag} ${String(text).slice(0, 50)} has no exact form in plain JSON: connect a node const instead`);
  } else if (!['U', 'I', 'D'].includes(tag)) {
    leave(`${tag} becomes a plain number: connect a node const to keep its type`);
  }
  return isExact ? number : text;
}

/** Finds the name of the first secret, `{"vault_ref": name}`, in a value of `config`. */
export function secretIn(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if (isSecret(json)) return String(json.vault_ref);
  for (const member of Object.values(json)) {
    const name = secretIn(member);
    if (name !== undefined) return name;
  }
  return undefined;
}

const isSecret = (json: unknown): json is { vault_ref: unknown } => isObject(json) && Object.hasOwn(json, 'vault_ref');

/** Converts the members of an object to plain JSON, and drops its secrets. */
const plainMembers = (json: object, leave: (what: string) => void): object =>
  Object.fromEntries(
    Object.entries(json).flatMap(([name, member]) => {
      const plain = plainOfTagged(member, leave);
      return isSecret(member) ? [] : [[name, plain]];
    }),
  );

/**
 * Converts a value of `config` to plain JSON. An object whose only member has the name of a tag counts as a tagged
 * value. Calls `leave` for each part that is lost.
 */
export function plainOfTagged(json: unknown, leave: (what: string) => void): unknown {
  const tag = tagIn(json);
  if (tag === undefined) {
    if (Array.isArray(json)) return json.map((each) => plainOfTagged(each, leave));
    if (!isObject(json)) return json;
    if (isSecret(json)) {
      leave(
        `the secret ${String(json.vault_ref).slice(0, 100)} is not carried over: store a connection with this name`,
      );
      return null;
    }
    return plainMembers(json, leave);
  }
  const payload = (json as Record<string, unknown>)[tag];
  switch (tag) {
    case 'N':
      return null;
    case 'A':
      return Array.isArray(payload) ? payload.map((each) => plainOfTagged(each, leave)) : payload;
    case 'M':
      // The content of `M` is a map, and never a tagged value, even if its only member has the name of a tag.
      return plainMembers(payload ?? {}, leave);
    case 'U':
    case 'I':
    case 'U1':
    case 'I1':
    case 'F':
    case 'D':
      return numberOf(payload, tag, leave);
    case 'BY':
      leave('bytes become their text: connect a node const to keep them');
      return payload;
    default:
      return payload;
  }
}
