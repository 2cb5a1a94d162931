#!/usr/bin/env node
// The command `flows` of a checkout, which runs the sources. The built package has its own flows.js.
import '../../platform/loader/typescript.js';

await import('../shell/checkout.ts');
