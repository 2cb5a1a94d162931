import { FUNCTION_WORDS, KEYWORDS, RESERVED } from '../../../../runner/rhai/tokens.ts';
import { RESERVED_WORDS } from '../../../../runner/script/reserved_words.ts';

/** The nodes whose ports the user adds and names. */
export type ScriptNodeId = 'rhai_script' | 'javascript';

export type PortSide = 'input' | 'output';

/** The most characters of a name. A longer name has no room on a node. */
export const MOST_CHARACTERS = 100;

/** Names that ports may not have: variables that every script has, and settings in the node's form data. */
const TAKEN: Record<ScriptNodeId, ReadonlySet<string>> = {
  rhai_script: new Set(['source', 'ENV']),
  javascript: new Set(['source', 'clock', 'random', 'inputs', 'log', 'ENV']),
};

const WORDS: Record<ScriptNodeId, (name: string) => boolean> = {
  rhai_script: (name) => KEYWORDS.has(name) || RESERVED.has(name) || FUNCTION_WORDS.has(name),
  javascript: (name) => RESERVED_WORDS.has(name),
};

/** Returns the reason why a port may not have this name, as a sentence; undefined if the name is allowed. */
export function whyBadName(
  nodeId: ScriptNodeId,
  side: PortSide,
  name: string,
  others: readonly string[],
): string | undefined {
  if (name === '') return 'A port needs a name.';
  if (name.length > MOST_CHARACTERS) return `A name has at most ${MOST_CHARACTERS} characters.`;
  if (!/^\w+$/.test(name)) return 'A name has only letters from A to Z, digits and _.';
  if (!/^_*[A-Za-z]/.test(name)) return 'A name has a letter before its first digit.';
  if (WORDS[nodeId](name)) return `“${name}” is a word of the language.`;
  // In JavaScript, the member `__proto__` is the prototype of an object, so an output of this name could hold no value.
  if (TAKEN[nodeId].has(name) || name === '__proto__') return `“${name}” has a meaning of its own in scripts.`;
  if (side === 'output' && name === 'error') return '“error” is the output for failures of the node.';
  return others.includes(name) ? `Another ${side} has this name.` : undefined;
}

/** Tests whether a member of the node's form is a setting, such as the script, and not the value of an input. */
export const isSetting = (nodeId: ScriptNodeId, name: string): boolean => TAKEN[nodeId].has(name);

/** Returns the wanted name if a port may have it. Otherwise returns a free name with a number. */
export function freeName(nodeId: ScriptNodeId, side: PortSide, wanted: string, others: readonly string[]): string {
  const beginning = whyBadName(nodeId, side, wanted, []) === undefined ? wanted.slice(0, MOST_CHARACTERS - 4) : side;
  const taken = new Set(others);
  let name = beginning;
  for (let number = 2; taken.has(name); number++) name = `${beginning}${number}`;
  return name;
}
