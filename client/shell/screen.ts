/** Where a command prints. */
export interface Screen {
  /** What the command was called for: a line to stdout. It resolves once there is room for the next one. */
  print: (line: string) => Promise<void>;
  /** A line to stderr, for people. */
  note: (line: string) => void;
  /** What happens just now: a line to stderr that the next one replaces, only where that is a terminal. */
  progress: (text: string) => void;
}

/** The streams of a process. */
export interface Streams {
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

export function makeScreen({ stdout, stderr }: Streams): Screen {
  let isProgressShown = false;
  const clearProgress = () => {
    if (isProgressShown) stderr.write('\r\u001b[K');
    isProgressShown = false;
  };
  return {
    print: async (line) => {
      clearProgress();
      if (!stdout.write(`${line}\n`)) await new Promise((resolve) => stdout.once('drain', resolve));
    },
    note: (line) => {
      clearProgress();
      stderr.write(`${line}\n`);
    },
    progress: (text) => {
      if (!stderr.isTTY) return;
      stderr.write(text === '' ? '\r\u001b[K' : `\r\u001b[K${text}`);
      isProgressShown = text !== '';
    },
  };
}
