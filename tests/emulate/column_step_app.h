/* SPDX-License-Identifier: Apache-2.0 */
/* column_step_app.h - column-step of the library, whose build has no kernels for a device, with the emulated ones
 *
 * Behind apps/column_flux_kernels.h, apps/column_step_kernels.h and apps/layers_app.h, which emulate.py has turned. */
#ifndef MPLAN_TEST_COLUMN_STEP_APP_H
#define MPLAN_TEST_COLUMN_STEP_APP_H

#include <cstring>

static mplan_app column_step(mplan_app_layered layered[3])
{
    mplan_app app = *mplan_app_find("column-step");
    std::memcpy(layered, app.layered, 3 * sizeof *layered);
    layered[0].device = &mplan_column_flux_device;
    layered[1].device = &mplan_column_update_device;
    layered[2].device = &mplan_column_mix_device;
    app.layered = layered;
    return app;
}

#endif
