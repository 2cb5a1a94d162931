import { Button, type ButtonProps, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface DialogButtonProps extends Omit<ButtonProps, 'children'> {
  /** The text of the button. */
  label: string;
  /** The heading of the dialog, and the name of the button. */
  title: string;
  /** Called when the dialog opens, to reset its contents. */
  onOpen: () => void;
  dialogSize?: 'md' | 'lg' | 'xl';
  closeOnClickOutside?: boolean;
  /** Renders the contents of the dialog; `close` closes it. */
  children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton(
  { label, title, onOpen, dialogSize = 'md', closeOnClickOutside = true, children, ...button }: DialogButtonProps,
) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        variant='default'
        {...button}
        aria-label={title}
        onClick={() => {
          onOpen();
          open();
        }}
      >
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={title}
        centered
        size={dialogSize}
        closeOnClickOutside={closeOnClickOutside}
        classNames={{ title: 'console-heading' }}
      >
        {children(close)}
      </Modal>
    </>
  );
}
