import { Container } from '@mantine/core';
import { useLocation } from 'wouter';
import DocsRoutes from '../docs/routes.tsx';
import { ErrorBoundary } from '../shared/errors/error_boundary.tsx';

/**
 * The documentation for visitors without a session. It has no navigation, because these visitors can open no other
 * page.
 */
export default function DocsApp() {
  const [location] = useLocation();
  return (
    <Container component='main' py='xl' size='lg'>
      <ErrorBoundary key={location}>
        <DocsRoutes />
      </ErrorBoundary>
    </Container>
  );
}
