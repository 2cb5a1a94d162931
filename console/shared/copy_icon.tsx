import { ActionIcon, CopyButton } from '@mantine/core';
import { Icon } from './icon.tsx';

/** A button that copies a text. It shows an icon only; `label` names the text. */
export const CopyIcon = ({ label, value }: { label: string; value: string }) => (
  <CopyButton value={value}>
    {({ copied, copy }) => (
      <ActionIcon variant='default' aria-label={`Copy: ${label}`} onClick={copy}>
        <Icon name={copied ? 'check' : 'copy'} size={16} />
      </ActionIcon>
    )}
  </CopyButton>
);
