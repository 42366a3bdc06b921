/* SPDX-License-Identifier: Apache-2.0 */
/* box.c - memory that processes of one host share, of the host or of a device */
#include "exec/ranks/box.h"

#include <assert.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"
#include "base/shared_memory.h"
#include "exec/cuda/device_halo.h"

/* A handle of CUDA's IPC leads to whole pages of the driver: smaller memory would share one with other data of the process. */
enum { DEVICE_PAGE = 2 << 20 };

/* --- on a device ------------------------------------------------------------------------ */

/* The only one in its pages, with the card's token in front. */
static mplan_status make_on_device(mplan_box *made, mplan_box_card *card, mplan_error *err)
{
    void *data = NULL;
    made->bytes = (made->bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * DEVICE_PAGE;
    mplan_status status = mplan_gpu_alloc(made->bytes, &data, err);
    made->data = data;
    if (!status)
        status = mplan_gpu_set(data, 0, made->bytes, err);
    if (!status)
        status = mplan_gpu_upload(data, card->token, MPLAN_BOX_TOKEN, err);
    if (!status) /* a small copy may be on its way when the call is back */
        status = mplan_gpu_wait(err);
    return status ? status : mplan_gpu_share(data, card->handle, err);
}

/* *token: what is in front of it. */
static mplan_status open_on_device(const mplan_box_card *card, mplan_box *opened,
                                   unsigned char *token, mplan_error *err)
{
    void *data = NULL;
    mplan_status status = mplan_gpu_open_shared(card->handle, &data, err);
    opened->data = data;
    return status ? status : mplan_gpu_download(token, data, MPLAN_BOX_TOKEN, err);
}

/* --- on the host ------------------------------------------------------------------------- */

static mplan_status make_on_host(mplan_box *made, mplan_box_card *card, mplan_error *err)
{
    int descriptor = -1;
    void *data = NULL;
    mplan_status status = mplan_shared_create((size_t)made->bytes, &descriptor, err);
    made->descriptor = descriptor;
    if (!status)
        status = mplan_shared_map_both(descriptor, (size_t)made->bytes, &data, err);
    if (status)
        return status;
    made->data = data;
    memcpy(data, card->token, MPLAN_BOX_TOKEN);
    card->process = (int32_t)getpid();
    card->descriptor = descriptor;
    return MPLAN_OK;
}

/* The mapping stays when its descriptor is closed. */
static mplan_status open_on_host(const mplan_box_card *card, mplan_box *opened,
                                 unsigned char *token, mplan_error *err)
{
    int descriptor = -1;
    void *data = NULL;
    mplan_status status = mplan_shared_open_other(card->process, card->descriptor,
                                                  (size_t)card->bytes, &descriptor, err);
    if (!status)
        status = mplan_shared_map_both(descriptor, (size_t)card->bytes, &data, err);
    if (descriptor >= 0)
        close(descriptor);
    if (status)
        return status;
    opened->data = data;
    memcpy(token, data, MPLAN_BOX_TOKEN);
    return MPLAN_OK;
}

/* --- both ----------------------------------------------------------------------------------- */

/* After a failure nothing is left of it. */
mplan_status mplan_box_make(bool on_device, int64_t bytes, mplan_box *made, mplan_box_card *card,
                            mplan_error *err)
{
    assert(bytes >= 0 && made && card);
    *made = (mplan_box){
        .bytes = MPLAN_BOX_HEAD + bytes, .descriptor = -1, .on_device = on_device, .is_own = true};
    memset(card, 0, sizeof *card);
    mplan_status status = MPLAN_OK;
    if (getrandom(card->token, sizeof card->token, 0) != (ssize_t)sizeof card->token)
        status = mplan_fail(err, MPLAN_ERR_IO, "no random numbers can be had from the system");
    if (!status)
        status = on_device ? make_on_device(made, card, err) : make_on_host(made, card, err);
    if (status) {
        mplan_box_close(made);
        memset(card, 0, sizeof *card);
    } else {
        card->bytes = made->bytes;
    }
    return status;
}

/* Nothing stays open after a failure. */
mplan_status mplan_box_open(bool on_device, const mplan_box_card *card, mplan_box *opened,
                            mplan_error *err)
{
    assert(card && card->bytes >= MPLAN_BOX_HEAD && opened);
    unsigned char token[MPLAN_BOX_TOKEN];
    *opened = (mplan_box){.bytes = card->bytes, .descriptor = -1, .on_device = on_device};
    mplan_status status = on_device ? open_on_device(card, opened, token, err)
                                    : open_on_host(card, opened, token, err);
    if (!status && memcmp(token, card->token, sizeof token) != 0)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "what was opened as memory of another process is other memory");
    if (status)
        mplan_box_close(opened);
    return status;
}

/* A closed box is NULL again. */
void mplan_box_close(mplan_box *box)
{
    assert(box);
    if (box->on_device && box->data && box->is_own)
        mplan_gpu_free(box->data);
    else if (box->on_device && box->data)
        mplan_gpu_close_shared(box->data);
    else if (box->data)
        mplan_shared_unmap(box->data, (size_t)box->bytes);
    if (box->descriptor >= 0)
        close(box->descriptor);
    *box = (mplan_box){.descriptor = -1};
}
