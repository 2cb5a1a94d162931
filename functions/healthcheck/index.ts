import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeHealthcheckApp } from './app.ts';

export default makeHealthcheckApp(edgePlatform());
