import { edgePlatform } from '../_shared/platform.ts';
import { makeRunnerApp } from './app.ts';

export default makeRunnerApp(edgePlatform());
