// The part of the sandbox that calls the author's code. It runs inside the sandbox, before that code. The build of the
// bundle replaces MAX_MESSAGE here and MAX_DEPTH in values.js by the limits of types/limits/scripts.ts.
import { exact, isExact, tooManyDigits } from './exact.js';
import { installExactJson, stringifyExactly } from './exact_json.js';
import { makeWriter, readMarked } from './values.js';

const { apply, getPrototypeOf: prototypeOf, ownKeys } = Reflect;
const { hasOwn, prototype: objectPrototype } = Object;
const { isArray } = Array;
const { then } = Promise.prototype;
const { stringify } = JSON;
const { slice } = String.prototype;
const toText = String;
const GuestError = Error;

const MAX_LINE = 20_000;

const cut = (text, length) => (text.length > length ? `${apply(slice, text, [0, length])}…` : text);

/** The text of anything that the author's code logs or throws. */
function textOf(value) {
  if (typeof value === 'string') return value;
  try {
    if (typeof value === 'object' && value !== null && !(value instanceof GuestError)) {
      return stringifyExactly(value) ?? toText(value);
    }
  } catch {
    // The text below is enough.
  }
  try {
    return toText(value);
  } catch {
    return `a value of type ${typeof value}`;
  }
}

const errorText = (error, name) => {
  try {
    const text = error[name];
    return typeof text === 'string' ? cut(text, MAX_MESSAGE) : '';
  } catch {
    return '';
  }
};

const failure = (error) =>
  error instanceof GuestError
    ? { error: cut(textOf(error), MAX_MESSAGE), stack: errorText(error, 'stack') }
    : { error: cut(textOf(error), MAX_MESSAGE), stack: '' };

/** The functions of the host, taken from the realm before the author's code can. */
const { hostLog, hostRandom } = globalThis;
delete globalThis.hostLog;
delete globalThis.hostRandom;

let hasRandom = false;
Math.random = () => {
  if (!hasRandom) throw new GuestError('Math.random is off: switch on "random" in the form of the node');
  return hostRandom();
};
/**
 * The sandbox has no data of languages. A language or an option that a script gives would have no effect, so it is
 * refused.
 */
function refuseLocales(prototype) {
  const names = ownKeys(prototype);
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    const isComparing = name === 'localeCompare';
    if (!isComparing && !(typeof name === 'string' && name.startsWith('toLocale'))) continue;
    const original = prototype[name];
    const refuse = () => {
      throw new GuestError(`${name} takes no language and no options here: the sandbox knows no languages`);
    };
    prototype[name] = {
      [name](first, second, third) {
        if (second !== undefined || (isComparing ? third : first) !== undefined) refuse();
        return apply(original, this, isComparing ? [first] : []);
      },
    }[name];
  }
}
const { prototype: typedArrayPrototype } = prototypeOf(Uint8Array);
for (const { prototype } of [Array, Date, Number, Object, String]) refuseLocales(prototype);
refuseLocales(typedArrayPrototype);

delete globalThis.Atomics;
delete globalThis.SharedArrayBuffer;

const log = (...values) => {
  let line = '';
  for (let index = 0; index < values.length; index++) {
    line = cut(`${line}${index > 0 ? ' ' : ''}${cut(textOf(values[index]), MAX_LINE)}`, MAX_LINE);
  }
  hostLog(line);
};

/**
 * Tests whether a returned value is a plain object of outputs. If the script has one output, the object must have only
 * the member of that name.
 */
const isOutputs = (value, outputs) => {
  if (typeof value !== 'object' || value === null || isArray(value)) return false;
  const prototype = prototypeOf(value);
  if (prototype !== null && prototype !== objectPrototype) return false;
  if (outputs.length !== 1) return true;
  const names = ownKeys(value);
  return names.length === 1 && names[0] === outputs[0];
};

/** Writes the returned value as the members of the outputs. */
function writeOutputs(value, { outputs, maxCharacters }) {
  const writer = makeWriter(maxCharacters);
  writer.add('{"outputs":{');
  const write = (name, member) => {
    if (member === undefined) return;
    if (writer.text() !== '{"outputs":{') writer.add(',');
    writer.add(`${stringify(name)}:`);
    writer.write(member, { name: `output \`${cut(name, 100)}\`` });
  };
  if (isOutputs(value, outputs)) {
    for (let index = 0; index < outputs.length; index++) {
      if (hasOwn(value, outputs[index])) write(outputs[index], value[outputs[index]]);
    }
    refuseUnknown(value, outputs);
  } else if (outputs.length === 1) write(outputs[0], value);
  else if (value !== undefined && value !== null) {
    throw new GuestError('the script must return an object with its outputs, such as { a: 1, b: 2 }');
  }
  writer.add('}}');
  return writer.text();
}

function refuseUnknown(value, outputs) {
  const names = ownKeys(value);
  for (let index = 0; index < names.length; index++) {
    let isKnown = typeof names[index] === 'symbol' || value[names[index]] === undefined;
    for (let at = 0; at < outputs.length; at++) isKnown ||= outputs[at] === names[index];
    if (!isKnown) {
      throw new GuestError(`the script returned \`${cut(names[index], 100)}\`, which is no output of the node`);
    }
  }
}

let answer = '{"isPending":true}';
const settle = (write) => {
  try {
    answer = write();
  } catch (error) {
    answer = stringify(failure(error));
  }
};

/** Calls the author's code. The host then runs the jobs that the code awaits, and takes the answer. */
function call(compiled, text) {
  const task = readMarked(text);
  ({ hasRandom } = task);
  const args = [];
  for (let index = 0; index < task.parameters.length; index++) args[index] = task.inputs[task.parameters[index]];
  try {
    const body = compiled(log, task.environment, task.inputs);
    apply(then, apply(body, undefined, args), [
      (value) => settle(() => writeOutputs(value, task)),
      (error) => settle(() => stringify(failure(error))),
    ]);
  } catch (error) {
    answer = stringify(failure(error));
  }
}

installExactJson();

/** The host takes `call` and `answer`, and the libraries the rest. Then the host deletes the object. */
globalThis.guest = { call, answer: () => answer, exact, isExact, tooManyDigits };
