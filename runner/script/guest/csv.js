import { parse as parseRows } from 'csv-parse/browser/esm/sync';
import { stringify } from 'csv-stringify/browser/esm/sync';

const LINES = { bom: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n', '\r'] };

const { isExact } = globalThis.guest;

/** Reads rows: a map for each row if the first row has the names of the columns, else an array. */
function parse(text, header, delimiter) {
  const rows = parseRows(text, { columns: header && nameColumns, delimiter, ...LINES });
  return header ? rows.map((row) => ({ ...row })) : rows;
}

/** Refuses a header in which two columns have the same name, because one column would be lost. */
function nameColumns(names) {
  const known = new Set();
  for (const name of names) {
    if (known.has(name)) throw new Error(`two columns have the name ${JSON.stringify(name.slice(0, 100))}`);
    known.add(name);
  }
  return names;
}

/** A value as the text of a cell. Lists and maps are JSON. */
function cell(value) {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' && !isExact(value) ? JSON.stringify(value) : String(value);
}

const isMap = (row) => typeof row === 'object' && row !== null && !Array.isArray(row) && !isExact(row);

/** Writes rows, which are maps or arrays. */
function format(rows, columns, header, delimiter) {
  const names = columns ?? (isMap(rows[0]) ? Object.keys(rows[0]) : undefined);
  const cells = rows.map((row, index) => {
    if (Array.isArray(row)) return row.map(cell);
    if (!isMap(row) || names === undefined) throw new Error(`row ${index} is no ${isMap(rows[0]) ? 'map' : 'array'}`);
    return names.map((name) => cell(Object.hasOwn(row, name) ? row[name] : undefined));
  });
  const head = header && names !== undefined ? [names.map(cell)] : [];
  const lines = [...head, ...cells];
  // A reader would skip an empty line, take a lone \r for a line end, and drop a mark of the byte order.
  const isOneColumn = lines.every(({ length }) => length === 1);
  return stringify(lines, { delimiter, quoted_empty: isOneColumn, quoted_match: /[\r\n]|^\ufeff/ });
}

globalThis.library = { parse, format };
