import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCodes } from '../../types/errors.ts';
import { projectDir } from '../local/paths.ts';
import { StackError } from '../local/stack_error.ts';
import { markdownTable } from './markdown_table.ts';
import { openapiFile, openapiText } from './openapi.ts';
import { rhaiDocsFile, rhaiFunctionsText } from './rhai_docs.ts';

/** A file that is generated, or a part of it is. */
export interface GeneratedFile {
  file: string;
  text: string;
}

const ERRORS_BEGIN = '<!-- errors -->';
const ERRORS_END = '<!-- /errors -->';

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

const FUNCTIONS_BEGIN = '<!-- functions -->';
const FUNCTIONS_END = '<!-- /functions -->';

/** The description of scripts with the list of functions as it should be. */
function rhaiText(document: string): string {
  const [before, rest] = document.split(FUNCTIONS_BEGIN);
  const after = rest?.split(FUNCTIONS_END)[1];
  if (before === undefined || after === undefined) {
    throw new StackError(`docs/rhai.md has no ${FUNCTIONS_BEGIN} … ${FUNCTIONS_END}, between which the functions go.`);
  }
  return `${before}${FUNCTIONS_BEGIN}\n\n${rhaiFunctionsText()}\n\n${FUNCTIONS_END}${after}`;
}

/** The documents that are made of the sources, as they should be. */
export function generatedDocs(): GeneratedFile[] {
  const readme = join(projectDir, 'README.md');
  return [
    { file: openapiFile, text: openapiText() },
    { file: readme, text: readmeText(readFileSync(readme, 'utf8')) },
    { file: rhaiDocsFile, text: rhaiText(readFileSync(rhaiDocsFile, 'utf8')) },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, text } of generatedDocs()) writeFileSync(file, text);
  console.log('Wrote docs/openapi.json, the table of errors in README.md and the functions in docs/rhai.md.');
}
