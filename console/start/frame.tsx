import { Container } from '@mantine/core';
import type { ReactNode } from 'react';

/** The frame of a page without navigation. */
export const Frame = ({ children }: { children: ReactNode }) => (
  <Container component='main' py='xl' size='sm'>{children}</Container>
);
