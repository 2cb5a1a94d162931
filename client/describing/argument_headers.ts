import type { ArgumentHeader } from '../../types/described/mcp.ts';
import { isObject } from '../../types/values/value.ts';
import { OperationRefused, printable, type References, textOf } from './documents.ts';

const MEMBER = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const TYPES = ['string', 'integer', 'boolean'] as const;
/** Members of a schema that are data. */
const DATA = ['default', 'examples', 'enum', 'const', MEMBER];
/** The deepest schema that is read. */
const MAX_DEPTH = 60;

/** Tests whether a part of a schema names a header. */
function namesHeader(json: unknown, references: References, depth: number): boolean {
  if (typeof json !== 'object' || json === null) return false;
  if (depth === 0) throw new OperationRefused('the schema of the arguments is too deep');
  const members = Array.isArray(json) ? references.list(json) : references.members(json).map(([, member]) => member);
  return !Array.isArray(json) && Object.hasOwn(json, MEMBER) ||
    members.some((member) => namesHeader(member, references, depth - 1));
}

/**
 * Returns the arguments that a request repeats as headers. A client must refuse a tool whose schema names them wrongly:
 * only members that `properties` lead to may have one, with a unique name and a simple type. Source: MCP 2026-07-28,
 * Streamable HTTP. Throws an OperationRefused.
 */
export function argumentHeaders(schema: unknown, references: References): ArgumentHeader[] {
  const found: ArgumentHeader[] = [];
  const visit = (json: unknown, path: string[]): void => {
    if (!isObject(json)) return;
    const refuse = (fault: string) => {
      throw new OperationRefused(`${MEMBER} of ${printable(path.join('.'), 100) || 'the arguments'} ${fault}`);
    };
    if (path.length > MAX_DEPTH) throw new OperationRefused('the schema of the arguments is too deep');
    if (Object.hasOwn(json, MEMBER)) {
      const header = textOf(json[MEMBER]) ?? '';
      const type = TYPES.find((one) => one === json.type);
      if (path.length === 0) refuse('names no argument');
      if (!TOKEN.test(header)) refuse('is not the name of a header');
      if (type === undefined) refuse('is allowed for texts, integers and booleans only');
      else if (found.some((one) => one.header.toLowerCase() === header.toLowerCase())) refuse('is not unique');
      else found.push({ path, header, type });
    }
    for (const [name, member] of references.members(json)) {
      if (name === 'properties') {
        for (const [property, inner] of references.members(member)) visit(inner, [...path, property]);
      } else if (!DATA.includes(name) && namesHeader(member, references, MAX_DEPTH)) {
        refuse(`is below ${printable(name, 100)}`);
      }
    }
  };
  visit(schema, []);
  return found;
}
