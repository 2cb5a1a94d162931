/** The type of an argument of a SQL function. */
export interface ArgumentType {
  /** As SQL writes it, such as `uuid[]`. */
  type: string;
  isArray: boolean;
  /** It is json or jsonb, or an array of these. */
  isJson: boolean;
}

const quoteElement = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

function arrayText(values: unknown[], isJson: boolean): string {
  const elements = values.map((value) => {
    if (value === null) return 'NULL';
    if (Array.isArray(value) && !isJson) return arrayText(value, isJson);
    return quoteElement(!isJson && typeof value === 'string' ? value : JSON.stringify(value));
  });
  return `{${elements.join(',')}}`;
}

/**
 * A value of JSON as the text of a SQL type, which Postgres reads as it would read the value in PostgREST's body. A JSON
 * null is SQL's null everywhere.
 */
export function parameterText(value: unknown, { isArray, isJson }: ArgumentType): string | null {
  if (value === null) return null;
  if (isArray && Array.isArray(value)) return arrayText(value, isJson);
  return !isJson && typeof value === 'string' ? value : JSON.stringify(value);
}

/** An identifier for SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text as a literal for SQL, whatever standard_conforming_strings is. The text must not hold NUL. */
export const quoteText = (text: string | null): string =>
  text === null ? 'null' : `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
