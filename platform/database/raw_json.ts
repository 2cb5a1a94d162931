/** JSON text as it was sent, with all digits of its numbers. It is forwarded and never parsed. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Serializes an object whose members may be RawJson. */
export function losslessJson(args: object): string {
  // One call makes no second copy of the text, which may have megabytes.
  if (!Object.values(args).some((value) => value instanceof RawJson)) return JSON.stringify(args);
  const members = Object.entries(args).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${value instanceof RawJson ? value.text : JSON.stringify(value)}`);
  return `{${members.join(',')}}`;
}
