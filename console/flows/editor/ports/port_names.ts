import { FUNCTION_WORDS, KEYWORDS, RESERVED } from '../../../../runner/rhai/tokens.ts';
import { RESERVED_WORDS } from '../../../../runner/script/reserved_words.ts';

/** The nodes whose ports the user adds and names. */
export type ScriptNodeId = 'rhai_script' | 'javascript';

export type PortSide = 'input' | 'output';

/** The most characters of a name. A longer one has no room on a node. */
export const MOST_CHARACTERS = 100;

/** Names with a meaning of their own: variables that a script has anyway, and members of the node's form data. */
const TAKEN: Record<ScriptNodeId, ReadonlySet<string>> = {
  rhai_script: new Set(['source', 'ENV']),
  javascript: new Set(['source', 'clock', 'random', 'inputs', 'log', 'ENV']),
};

const WORDS: Record<ScriptNodeId, (name: string) => boolean> = {
  rhai_script: (name) => KEYWORDS.has(name) || RESERVED.has(name) || FUNCTION_WORDS.has(name),
  javascript: (name) => RESERVED_WORDS.has(name),
};

/** Returns the reason why a port may not have a name, as a sentence; undefined if it may. */
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
  // The prototype of an object has no value that a flow could hand on.
  if (TAKEN[nodeId].has(name) || name === '__proto__') return `“${name}” has a meaning of its own in scripts.`;
  if (side === 'output' && name === 'error') return '“error” is the output for failures of the node.';
  return others.includes(name) ? `Another ${side} has this name.` : undefined;
}

/** Tests whether a member of the form data is a setting of the node, such as the script, and no value of an input. */
export const isSetting = (nodeId: ScriptNodeId, name: string): boolean => TAKEN[nodeId].has(name);

/** Returns a name that no other port of the side has: the wanted one if it is good, or one with a number. */
export function freeName(nodeId: ScriptNodeId, side: PortSide, wanted: string, others: readonly string[]): string {
  const beginning = whyBadName(nodeId, side, wanted, []) === undefined ? wanted.slice(0, MOST_CHARACTERS - 4) : side;
  const taken = new Set(others);
  let name = beginning;
  for (let number = 2; taken.has(name); number++) name = `${beginning}${number}`;
  return name;
}
