"""Pinocchio's word, from a process of its own: it and iDynTree bring two builds of the same libraries."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from steelyard.campaigns._processes import begin_worker


def pinocchio_says(*arguments):
    """As `answer`."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), begin_worker, (os.getpid(),)) as process:
        return process.submit(answer, *arguments).result()


def answer(urdf, joints, motions, frames):
    """Of each motion (the fields of a `RobotMotion`): momentum, centre of mass, and the frames' rotation and place."""
    import pinocchio

    model = pinocchio.buildModelFromXML(urdf, pinocchio.JointModelFreeFlyer())
    data = model.createData()
    told = []
    for position, R_wb, velocity, rates, joint_position, joint_velocity in motions:
        q, v = pinocchio.neutral(model), np.zeros(model.nv)
        q[:3], q[3:7] = position, pinocchio.Quaternion(R_wb).coeffs()
        v[:3], v[3:6] = R_wb.T @ velocity, rates
        for k, name in enumerate(joints):
            joint = model.joints[model.getJointId(name)]
            q[joint.idx_q], v[joint.idx_v] = joint_position[k], joint_velocity[k]
        momentum = pinocchio.computeCentroidalMomentum(model, data, q, v)
        pinocchio.updateFramePlacements(model, data)
        places = [data.oMf[model.getFrameId(frame)] for frame in frames]
        told.append(
            (
                np.array([*momentum.angular, *momentum.linear]),
                np.array(data.com[0]),
                [(place.rotation.copy(), place.translation.copy()) for place in places],
            )
        )
    return told
