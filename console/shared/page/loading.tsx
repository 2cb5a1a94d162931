import { Center, Loader, VisuallyHidden } from '@mantine/core';

/** Shown while data is loaded. */
export const Loading = ({ label = 'Loading' }: { label?: string }) => (
  <Center p='xl' role='status'>
    <Loader aria-hidden='true' />
    <VisuallyHidden>{label}</VisuallyHidden>
  </Center>
);
