/** Returns a variable that the stack has given to a part. */
export function requiredVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
