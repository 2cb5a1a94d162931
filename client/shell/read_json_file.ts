import { readFile, stat } from 'node:fs/promises';
import { UsageError } from './usage_error.ts';

/** The size limit of a file, in bytes. A column of a flow can't hold more. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Reads a file of JSON: its text, and what the text holds. Throws a UsageError. */
export async function readJsonFile(file: string): Promise<{ text: string; json: unknown }> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) throw new UsageError(`${file} is larger than ${MAX_FILE_BYTES} bytes.`);
    const text = await readFile(file, 'utf8');
    return { text, json: JSON.parse(text) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const isJson = error instanceof SyntaxError;
    throw new UsageError(`${file} ${isJson ? 'must hold JSON' : "can't be read"}: ${(error as Error).message}`);
  }
}
