import { Button, JsonInput } from '@mantine/core';

interface ValuesEditorProps {
  text: string;
  fault: string | undefined;
  /** Called with the new text, or with undefined to use the values of the last run again. */
  onChange: (text: string | undefined) => void;
}

/** Edits the inputs of a node for its next runs, as JSON. */
export const ValuesEditor = ({ text, fault, onChange }: ValuesEditorProps) => (
  <>
    <JsonInput
      label='Inputs of the next run'
      description='Run this node and Run from here use the values that you change here. All other values come from the last run.'
      value={text}
      onChange={onChange}
      autosize
      minRows={2}
      maxRows={12}
      error={fault}
      spellCheck={false}
    />
    <Button size='xs' variant='subtle' className='last-run-edit' onClick={() => onChange(undefined)}>
      Use the last run’s values
    </Button>
  </>
);
