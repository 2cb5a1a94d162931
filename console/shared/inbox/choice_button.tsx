import { Button, type ButtonProps } from '@mantine/core';
import { Icon } from '../icon.tsx';

const APPROVES = /^(approve|accept|allow|confirm|agree|pay|yes|ok)\b/i;
const REJECTS = /^(reject|refuse|deny|decline|disagree|cancel|stop|no)\b/i;

/** Returns the look of a choice, so that an approval and a refusal can not be mixed up. */
function lookOf(choice: string): ButtonProps {
  if (APPROVES.test(choice)) return { leftSection: <Icon name='check' /> };
  if (REJECTS.test(choice)) return { color: 'red', leftSection: <Icon name='close' /> };
  return { variant: 'default' };
}

interface ChoiceButtonProps {
  choice: string;
  disabled: boolean;
  onClick: () => void;
}

/** A button that answers a question with one of its choices. */
export const ChoiceButton = ({ choice, disabled, onClick }: ChoiceButtonProps) => (
  <Button {...lookOf(choice)} disabled={disabled} onClick={onClick}>{choice}</Button>
);
