import { formMember, formText, NodeError, type NodeModule } from '../../engine/node.ts';
import { runSandboxed } from '../../threads/run_script.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Runs the function body in its form data. No edge leads to form data, so only the author of the flow can set the body.
 */
export const javascriptNode: NodeModule = {
  definition,
  takesPortsFromFlow: true,
  leavesOutputsUnset: true,
  run: (call) => {
    const source = formText(call.formData, 'source');
    if (source === undefined) throw new NodeError('the form data has no text `source`');
    return runSandboxed(call, {
      library: 'javascript',
      source,
      hasClock: formMember(call.formData, 'clock') === true,
      hasRandom: formMember(call.formData, 'random') === true,
    });
  },
};
