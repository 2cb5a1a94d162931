import { Center, Loader, VisuallyHidden } from '@mantine/core';

/** Shown while something is read. */
export const Loading = ({ label = 'Loading' }: { label?: string }) => (
  <Center p='xl' role='status'>
    <Loader aria-hidden='true' />
    <VisuallyHidden>{label}</VisuallyHidden>
  </Center>
);
