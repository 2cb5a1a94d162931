import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { splitCode } from '../../../shared/errors/run_error.ts';
import { useRemedy } from '../../../shared/errors/use_remedy.ts';

interface FailureProps {
  /** An error of a node or of a run, such as `value_missing: no value …`. */
  line: string;
  /** The names of the node's inputs, because an error about an input begins with the name of the input. */
  inputs?: ReadonlySet<string> | undefined;
  onRetry?: (() => void) | undefined;
}

/** Explains an error of a run: shows its message, its code, and the remedy. */
export function Failure({ line, inputs, onRetry }: FailureProps) {
  const { code, message } = splitCode(line, inputs);
  const hint = useRemedy(code);
  return <ErrorAlert error={{ message, code, hint }} {...(onRetry && { onRetry })} />;
}
