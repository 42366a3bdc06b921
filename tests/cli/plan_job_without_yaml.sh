# SPDX-License-Identifier: Apache-2.0
$MESHPLAN --version | grep -q '^libyaml' && skip "this build has libyaml"
echo 'meshplan: 1' >j.yaml
try $MESHPLAN plan j.yaml
