import { errorCodesFile, errorCodesText } from './error_codes.ts';
import { inputTypesFile, inputTypesText } from './input_types.ts';
import { limitsFile, limitsText } from './limits.ts';
import { portTypesFile, portTypesText } from './port_types.ts';

/** The files of sql/ that are written from TypeScript, with the text that each should have. */
export const generatedSql = (): { file: string; text: string }[] => [
  { file: errorCodesFile, text: errorCodesText() },
  { file: limitsFile, text: limitsText() },
  { file: inputTypesFile, text: inputTypesText() },
  { file: portTypesFile, text: portTypesText() },
];
