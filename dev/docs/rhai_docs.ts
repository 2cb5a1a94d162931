import { join } from 'node:path';
import type { Native } from '../../runner/rhai/run.ts';
import { standardLibrary } from '../../runner/rhai/library/table.ts';
import { projectDir } from '../stack/paths.ts';
import { StackError } from '../stack/stack_error.ts';
import { markdownTable } from './markdown_table.ts';
import { page, paragraph } from './reference/page.ts';
import { type Descriptions, rhaiFunctions } from '../../runner/rhai/library/descriptions.ts';

export const rhaiFunctionsFile = join(projectDir, 'docs/reference/rhai_functions.md');

/** Returns the smallest and largest number of arguments that a list of parameters allows. */
function arityOf(parameters: string): { min: number; max: number } {
  const counts = parameters.split(' | ').map((way) => {
    const names = way.split(', ').filter((name) => name !== '');
    // A list with … allows 255 arguments, the most that a function can have.
    const most = names.includes('…') ? 255 : names.length;
    return { min: names.filter((name) => !name.startsWith('[') && name !== '…').length, max: most };
  });
  return { min: Math.min(...counts.map(({ min }) => min)), max: Math.max(...counts.map(({ max }) => max)) };
}

/** Finds the faults in the descriptions of a type's functions. */
export function findGaps(type: string, functions: Descriptions, natives: ReadonlyMap<string, Native>): string[] {
  const missing = [...natives.keys()].filter((name) => !Object.hasOwn(functions, name));
  const surplus = Object.keys(functions).filter((name) => !natives.has(name));
  const wrong = Object.entries(functions).flatMap(([name, [parameters]]) => {
    const native = natives.get(name);
    const { min, max } = arityOf(parameters);
    return native === undefined || (native.min === min && native.max === max)
      ? []
      : [`${type}.${name} is described with ${min} to ${max} arguments, but takes ${native.min} to ${native.max}.`];
  });
  return [
    ...missing.map((name) => `${type}.${name} is not described in runner/rhai/library/descriptions.ts.`),
    ...surplus.map((name) =>
      `${type}.${name} is described in runner/rhai/library/descriptions.ts, but there is no such function: remove it there.`
    ),
    ...wrong,
  ];
}

/** Lists the ways to call a function. */
function callsOf(name: string, parameters: string, { isProperty }: Native): string {
  const calls = parameters.split(' | ').map((way) => `${name}(${way})`);
  return [...isProperty ? [name] : [], ...calls].map((call) => `\`${call}\``).join(' ');
}

/** Makes docs/reference/rhai_functions.md. Throws if a function is not described, or a described one does not exist. */
export function rhaiFunctionsPage(): string {
  const described = Object.entries(rhaiFunctions);
  const gaps = [
    ...[...standardLibrary.keys()].filter((type) => !Object.hasOwn(rhaiFunctions, type)).map((type) =>
      `The functions of ${type} are not described in runner/rhai/library/descriptions.ts.`
    ),
    ...described.flatMap(([type, { functions }]) => findGaps(type, functions, methodsOf(type))),
  ];
  if (gaps.length > 0) throw new StackError(gaps.join('\n'));
  const sections = described.map(([type, { title, functions }]) => {
    const natives = methodsOf(type);
    const rows = Object.entries(functions).sort(([a], [b]) => a < b ? -1 : 1).map((
      [name, [parameters, result, meaning]],
    ) => [callsOf(name, parameters, natives.get(name)!), result, meaning]);
    return `## ${title}\n\n${markdownTable([['function', 'gives', 'meaning'], ...rows])}`;
  });
  return page(
    'Functions of scripts',
    '`runner/rhai/library/descriptions.ts` and the functions of the interpreter',
    paragraph('[Scripts](rhai.md) says how functions are called, and what their parameters mean.'),
    ...sections,
  );
}

function methodsOf(type: string): ReadonlyMap<string, Native> {
  return [...standardLibrary].find(([tag]) => tag === type)?.[1] ?? new Map();
}
