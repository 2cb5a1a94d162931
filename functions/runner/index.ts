import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeRunnerApp } from './app.ts';

export default makeRunnerApp(edgePlatform());
