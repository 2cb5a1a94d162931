import { load, YAMLException } from 'js-yaml';
import { definitionLimits } from '../../types/limits/definitions.ts';
import { OperationRefused } from './documents.ts';

/** The largest document, in characters. */
const MAX_DOCUMENT_CHARACTERS = definitionLimits.document_bytes.value;
/** The most aliases of a YAML document. Each one stands for a part that can be as large as the document. */
const MAX_ALIASES = 1_000;

/**
 * Parses a document in JSON or YAML. Parts that several aliases name are one object, so aliases take no memory. Throws
 * an OperationRefused.
 */
export function parseDocument(text: string): unknown {
  if (text.length > MAX_DOCUMENT_CHARACTERS) throw new OperationRefused('the document is larger than 16 MiB');
  try {
    return JSON.parse(text);
  } catch {
    if (/^\s*[{[]/.test(text)) throw new OperationRefused('the document is not JSON');
  }
  try {
    // As in JSON, the last of two members with one name counts.
    return load(text, { json: true, maxAliases: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    throw new OperationRefused(
      `the document is neither JSON nor YAML: ${reason}${mark === undefined ? '' : ` in line ${mark.line + 1}`}`,
    );
  }
}
