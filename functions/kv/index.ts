import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeKvApp } from './app.ts';

export default makeKvApp(edgePlatform());
