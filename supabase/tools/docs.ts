import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCodes } from '../../types/errors.ts';
import { projectDir } from '../local/paths.ts';
import { StackError } from '../local/stack_error.ts';
import { openapiFile, openapiText } from './openapi.ts';

/** A file that is generated, or a part of it is. */
export interface GeneratedFile {
  file: string;
  text: string;
}

const ERRORS_BEGIN = '<!-- errors -->';
const ERRORS_END = '<!-- /errors -->';

/** A Markdown table as the formatter leaves it: columns of one width. */
function markdownTable([head, ...rows]: string[][]): string {
  const cells = [head!, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [headCells, ...rowCells] = cells;
  return [line(headCells!), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rowCells.map(line)].join(
    '\n',
  );
}

/** The README with the table of error codes as it should be. */
function readmeText(readme: string): string {
  const [before, rest] = readme.split(ERRORS_BEGIN);
  const after = rest?.split(ERRORS_END)[1];
  if (before === undefined || after === undefined) {
    throw new StackError(`README.md has no ${ERRORS_BEGIN} … ${ERRORS_END}, between which the table of errors goes.`);
  }
  const rows = Object.entries(errorCodes).map((
    [code, { status, meaning }],
  ) => [`\`${code}\``, String(status), meaning]);
  return `${before}${ERRORS_BEGIN}\n\n${
    markdownTable([['code', 'status', 'meaning'], ...rows])
  }\n\n${ERRORS_END}${after}`;
}

/** The documents that are made of the sources, as they should be. */
export function generatedDocs(): GeneratedFile[] {
  const readme = join(projectDir, 'README.md');
  return [
    { file: openapiFile, text: openapiText() },
    { file: readme, text: readmeText(readFileSync(readme, 'utf8')) },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, text } of generatedDocs()) writeFileSync(file, text);
  console.log('Wrote docs/openapi.json and the table of errors in README.md.');
}
