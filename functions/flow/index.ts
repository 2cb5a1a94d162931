import { edgePlatform } from '../_shared/platform.ts';
import { makeFlowApp } from './app.ts';

export default makeFlowApp(edgePlatform());
