/** The type of an argument of a SQL function. */
export interface ArgumentType {
  /** The name in SQL, such as `uuid[]`. */
  type: string;
  isArray: boolean;
  /** True for json and jsonb, and for arrays of these. */
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
 * Writes a JSON value as the text of a SQL type. Postgres reads the text as it would read the value in PostgREST's
 * body. A JSON null becomes SQL's null.
 */
export function parameterText(value: unknown, { isArray, isJson }: ArgumentType): string | null {
  if (value === null) return null;
  if (isArray && Array.isArray(value)) return arrayText(value, isJson);
  return !isJson && typeof value === 'string' ? value : JSON.stringify(value);
}

/** Quotes an identifier for SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Quotes a text as a literal for SQL. The literal is valid under either setting of standard_conforming_strings. The
 * text must not hold NUL.
 */
export const quoteText = (text: string | null): string =>
  text === null ? 'null' : `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
