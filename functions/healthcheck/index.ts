import { edgePlatform } from '../_shared/platform.ts';
import { makeHealthcheckApp } from './app.ts';

export default makeHealthcheckApp(edgePlatform());
