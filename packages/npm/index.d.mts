// SPDX-License-Identifier: MIT
// Types of index.mjs.
export * from "./index.cjs";
import * as cordon from "./index.cjs";
export default cordon;
