import { Button, Stack } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { ErrorAlert } from './error_alert.tsx';

/** Shows an error that was thrown while a page was rendered or loaded, instead of an empty window. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error: error ?? new Error('Something failed without an error.') };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <Stack p='md' align='flex-start'>
        <ErrorAlert error={this.state.error} />
        <Button variant='default' onClick={() => location.reload()}>Load the page again</Button>
      </Stack>
    );
  }
}
