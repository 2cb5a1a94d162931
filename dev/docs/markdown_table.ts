/** Makes a Markdown table in the formatter's form: the cells of a column have one width. */
export function markdownTable([head, ...rows]: string[][]): string {
  const cells = [head!, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [headCells, ...rowCells] = cells;
  return [line(headCells!), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rowCells.map(line)].join(
    '\n',
  );
}
