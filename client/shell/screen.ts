/** The outputs of a command. */
export interface Screen {
  /** Prints a line of the result to stdout. Resolves when there is room for the next line. */
  print: (line: string) => Promise<void>;
  /** Prints a line for people to stderr. */
  note: (line: string) => void;
  /**
   * Shows the current activity on a line of stderr. The next output replaces this line. Does nothing without a
   * terminal.
   */
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
