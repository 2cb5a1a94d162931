import { ActionIcon } from '@mantine/core';
import { Icon, type IconName } from '../../../shared/icon.tsx';

/** A button of the toolbar that shows an icon only. */
export const Tool = ({ icon, label, disabled = false, isPending = false, onClick }: {
  icon: IconName;
  label: string;
  disabled?: boolean;
  isPending?: boolean;
  onClick: () => void;
}) => (
  <ActionIcon
    variant='subtle'
    color='gray'
    size='lg'
    className='editor-tool'
    aria-label={label}
    title={label}
    disabled={disabled}
    loading={isPending}
    onClick={onClick}
  >
    <Icon name={icon} />
  </ActionIcon>
);
