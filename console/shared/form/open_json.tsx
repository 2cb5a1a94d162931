import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Loading } from '../page/loading.tsx';

const CodeDialog = lazy(async () => ({ default: (await import('../code/code_dialog.tsx')).CodeDialog }));

interface OpenJsonProps {
  label: string;
  text: string;
  setText: (text: string) => void;
  disabled?: boolean | undefined;
}

/** A button that opens the JSON of a field in a dialog with the code editor, which loads only then. */
export function OpenJson({ label, text, setText, disabled }: OpenJsonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant='default' size='compact-xs' onClick={() => setIsOpen(true)}>Open</Button>
      {isOpen && (
        <Suspense fallback={<Loading label='Loading the code editor' />}>
          <CodeDialog
            title={label}
            label={label}
            language='json'
            value={text}
            onChange={setText}
            inputs={[]}
            readOnly={disabled}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
