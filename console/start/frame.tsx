import { Container } from '@mantine/core';
import type { ReactNode } from 'react';

/** What is around a page that has no navigation. */
export const Frame = ({ children }: { children: ReactNode }) => (
  <Container component='main' py='xl' size='sm'>{children}</Container>
);
