# Builds lidia-python, or prints in one line why it cannot.
#
#   cmake -DPYTHON=python3 -DSOURCE=folder -DBINARY=folder -DOUTPUT=file
#         -DLLVM_DIR=folder -DLIBRARIES_OF=folder -DCC=cc -DCXX=c++
#         -P BuildPythonModule.cmake
#
# LIBRARIES_OF is a build folder with our libraries, which are not built again.
# Succeeds in both cases.
set(NAME lidia-python)

# All inputs of the module's build.
set(REQUIREMENTS "${CMAKE_CURRENT_LIST_DIR}/requirements.txt")
file(GLOB_RECURSE FILES "${SOURCE}/include/*" "${SOURCE}/lib/*"
  "${SOURCE}/python/*.cpp" "${SOURCE}/python/*.h" "${SOURCE}/python/*.py*"
  "${SOURCE}/python/CMakeLists.txt" "${SOURCE}/cmake/*")
list(FILTER FILES EXCLUDE REGEX "__pycache__")
set(SUMS)
foreach(FILE ${FILES} "${REQUIREMENTS}" "${SOURCE}/pyproject.toml"
    "${SOURCE}/CMakeLists.txt")
  file(SHA256 "${FILE}" SUM)
  string(APPEND SUMS "${SUM}")
endforeach()
string(SHA256 SUMS "${SUMS}")
execute_process(COMMAND "${PYTHON}" --version OUTPUT_VARIABLE VERSION
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(STATE "${SUMS} ${PYTHON} ${VERSION} ${CXX} ${LLVM_DIR}")
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/ForeignProgram.cmake")
reuse_last_attempt()
if(DECIDED)
  return()
endif()

# run(REASON COMMAND...) gives up with REASON and the last line of pip's errors.
macro(run REASON)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE STATUS
    OUTPUT_VARIABLE MESSAGES ERROR_VARIABLE MESSAGES TIMEOUT 3000)
  file(WRITE "${BINARY}/build.log" "${MESSAGES}")
  if(NOT STATUS EQUAL 0)
    string(REGEX MATCH "(ERROR|error|Error)[^\n]*" DETAIL "${MESSAGES}")
    give_up("${REASON}: ${DETAIL} (${BINARY}/build.log)")
    return()
  endif()
endmacro()

string(REGEX REPLACE "^Python " "" NUMBER "${VERSION}")
if(NUMBER VERSION_LESS 3.11)
  give_up("Python 3.11 is needed, and ${PYTHON} is ${VERSION}")
  return()
endif()
set(VENV_PYTHON "${BINARY}/venv/bin/python")
run("no virtual environment (python3-venv)"
  "${PYTHON}" -m venv "${BINARY}/venv")
run("no packages from PyPI" "${VENV_PYTHON}" -m pip install --quiet
  --disable-pip-version-check --retries 1 --timeout 20 -r "${REQUIREMENTS}")
# The build folder stays for the next build.
run("no module" "${CMAKE_COMMAND}" -E env "CC=${CC}" "CXX=${CXX}"
  "${VENV_PYTHON}" -m pip install --disable-pip-version-check --verbose
  --no-build-isolation --no-deps --force-reinstall
  "--config-settings=build-dir=${BINARY}/build"
  "--config-settings=cmake.define.LLVM_DIR=${LLVM_DIR}"
  "--config-settings=cmake.define.LIDIA_LIBRARIES_OF=${LIBRARIES_OF}"
  "${SOURCE}")
file(WRITE "${BINARY}/lidia-python"
  "#!/bin/sh\nexec '${VENV_PYTHON}' \"$@\"\n")
file(CHMOD "${BINARY}/lidia-python" PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
finish_program("${BINARY}/lidia-python")
