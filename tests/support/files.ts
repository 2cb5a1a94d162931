import type { OwnerFiles } from '../../runner/engine/owner_files.ts';

/** Makes files for tests. Their methods record their arguments, except for the signal, and return the given answers. */
export function recordedFiles(answers: { [method in keyof OwnerFiles]?: unknown }) {
  const calls: unknown[][] = [];
  const record = (name: keyof OwnerFiles) => (...args: unknown[]) => {
    calls.push([name, ...args.filter((arg) => !(arg instanceof AbortSignal))]);
    if (!(name in answers)) throw new Error(`this test gives no answer to ${name}`);
    return answers[name];
  };
  const names: (keyof OwnerFiles)[] = ['upload', 'download', 'list', 'remove', 'signUrl', 'publicUrl', 'metadata'];
  // SAFETY: the object has all methods by name.
  const files = Object.fromEntries(names.map((name) => [name, record(name)])) as unknown as OwnerFiles;
  return { files, calls };
}
